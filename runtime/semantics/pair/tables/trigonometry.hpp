// Of the trigonometric functions. Written by generate/tables.py, which says how and how exact.
#pragma once

#include "runtime/semantics/pair/limb.hpp"

// clang-format off

namespace cairn::semantics::pair {
inline namespace CAIRN_PAIR_BUILD {

/// sin(j/32), in three limbs each.
template <class T>
struct Sines;
template <>
struct Sines<float> {
  static constexpr float limbs[] = {
    0.0F, 0.0F, 0.0F, 0xfff555p-29F, 0xeeee87p-54F, -0x5cd407p-80F, 0xffd557p-28F, 0x776a77p-52F, -0xa968b7p-78F,
    0x17f701p-24F, 0xc95439p-54F, 0xd7e169p-83F, 0xff5577p-27F, 0xe86ee3p-52F, 0xb940d3p-77F, 0x9f5989p-26F,
    0xc5d66dp-51F, -0x95c14dp-76F, 0xbee081p-26F, 0xfbaf2bp-51F, 0x515ab5p-75F, 0x6f1be1p-25F, 0x76e30dp-50F,
    -0xd31f2dp-76F, 0xfd5777p-26F, -0xb0cea9p-51F, 0x35d44fp-74F, 0x8e1bebp-25F, 0x98d70fp-51F, -0x6b9f89p-76F,
    0x9d6895p-25F, -0x44b161p-49F, -0xffefc3p-75F, 0xac8de5p-25F, -0x5d0a69p-54F, 0xbe3a5dp-80F, 0xbb8813p-25F,
    -0xa89bdfp-50F, 0x3d22a5p-74F, 0xca535fp-25F, 0x27d51bp-48F, 0x94b18fp-75F, 0x1b1d83p-22F, 0xa642c3p-51F,
    -0x5ae243p-76F, 0xe74e97p-25F, 0x1ea529p-49F, -0x497e45p-76F, 0x3d5dd1p-23F, -0xbb4fa1p-50F, -0x5e26d1p-80F,
    0x40d8a5p-23F, -0xc72cd5p-50F, -0xd2d8cdp-75F, 0x444343p-23F, 0x96d387p-50F, 0x6ec8c5p-74F, 0x479cd1p-23F,
    -0xdc9a8bp-49F, -0x7b757p-70F, 0x95c8efp-24F, 0x544211p-48F, -0x4fd1b9p-74F, 0x270cb3p-22F, -0xba9d7dp-49F,
    -0xa443ebp-74F, 0x289d67p-22F, 0xe79c35p-52F, 0xb04a5p-73F, 0xa88fdp-20F, -0xa132b9p-51F, -0xae0743p-78F,
    0xae7fe1p-24F, -0x94070fp-49F, -0xa6934dp-75F, 0x5a2229p-23F, 0xe134b3p-49F, -0xad6fa7p-76F, 0x2e76edp-22F,
    0x1bd4afp-50F, -0x122483p-76F,
  };
};
template <>
struct Sines<double> {
  static constexpr double limbs[] = {
    0.0, 0.0, 0.0, 0x1ffeaaaeeee86fp-58, -0xe6a037d912571p-111, 0x8cabcaf21a5d9p-165, 0x1ffaaaeeed4edbp-57,
    -0x12d16d32684b69p-111, -0x16a6a09f164089p-165, 0x5fdc040c95439p-54, 0xd7e168c00280dp-111, 0x401f964217d31p-166,
    0xff5577743771bp-55, -0x1afcb2bcc6f03bp-111, -0xf4b4cd5fb0943p-169, 0x13eb312c5d66cbp-55, 0x147d666b66cb91p-109,
    -0x1535e39d75ea25p-167, 0x17dc102fbaf2b5p-55, 0x15ab50e23c97c3p-111, -0x4ed3c4b286349p-163, 0x1bc6f84edc6199p-55,
    0x19c1a56a7b0cabp-109, 0x1722937519b63bp-167, 0x1faaeed4f31577p-55, -0x22bb10a11c657p-106, -0x5d39445531337p-161,
    0x8e1beb2635c3bp-53, 0x5181dbf8373fdp-106, 0xffc63765dbcc3p-161, 0x275a252ed3a7bp-51, 0x81eaa8243c1cdp-114,
    0x38a2180ffeb6dp-166, 0x1591bc9fa2f597p-54, 0x17c74bac3fe0cbp-109, -0x1bade22fb24d31p-165, 0x5dc40955d9085p-52,
    -0xb756b98a5db67p-108, -0x10d13d766f8055p-163, 0x194a6be9f546c5p-54, -0x2d39c27cd07ebp-105,
    0x1028475f714da3p-162, 0x1b1d8305321617p-54, -0x1ae242cb99f519p-108, -0xeb54e3f257d3p-158, 0x1ce9d2e3d4a51fp-54,
    -0x25f91425b5c53p-106, -0x13f7a25902e219p-166, 0x1eaee8744b05fp-50, -0x1789b43c9b027dp-110,
    0x1ed9992f45b4fdp-164, 0x10362939c69955p-53, -0x12d8cd78397b01p-107, -0xb29558bdf93cdp-160, 0x1110d0c4b69c3bp-53,
    0x1d918998809981p-107, 0x949c803050e97p-162, 0x479cd0c8d95d3p-51, 0x9151fd27a0eadp-107, 0x3ffd421417d47p-160,
    0x95c8ef544210fp-52, -0x1fa371db216abp-103, 0x13d0a2bf4c342bp-161, 0x1386597456282bp-53, -0x221f5b52760f5p-105,
    -0x19b8d656ae0ca1p-162, 0x144eb381cf386bp-53, -0x13ed6c1e6a5505p-107, -0xbfa3e7d399e9fp-160, 0x5447e7f5ecd47p-51,
    -0x15c0e861c48831p-107, 0x121cc907bf3fdfp-163, 0x15cffc16bf8f0dp-53, 0xcb659b875abc5p-106, 0x149108ece8f84dp-165,
    0x16888a4e134b2fp-53, -0xb5be9bb226af3p-106, 0x14b3a223e0867dp-161, 0x2e76ed01bd4afp-50, -0x91241836e0951p-107,
    -0x872496163a6d3p-163,
  };
};

/// cos(j/32), in three limbs each.
template <class T>
struct Cosines;
template <>
struct Cosines<float> {
  static constexpr float limbs[] = {
    0x1p0F, 0.0F, 0.0F, 0xffe001p-24F, -0xaaad83p-49F, 0xac4abbp-75F, 0xff800bp-24F, -0xab60b3p-49F, 0x1a6507p-72F,
    0x7f701bp-23F, -0x819465p-53F, 0x4c640bp-77F, 0xfe00abp-24F, -0xd82a43p-49F, 0xdb68f3p-75F, 0x7e70dp-19F,
    0xa7cc43p-49F, -0x78e925p-73F, 0xfb835fp-24F, -0xc263c9p-54F, 0x96737fp-79F, 0x7cf31fp-23F, 0xecf45bp-51F,
    0xf6f2e3p-76F, 0xf80aa5p-24F, -0x82115fp-53F, 0xe9e0f5p-78F, 0x7af885p-23F, 0x7bb77dp-48F, 0xf7e83p-70F,
    0xf399f5p-24F, 0xc9e9fdp-56F, 0xdeba65p-82F, 0x7882fdp-23F, 0x26b35bp-47F, 0xf4cfa9p-77F, 0xee35bfp-24F,
    0xb99591p-49F, 0x82966dp-75F, 0x1d653fp-21F, 0x1cf901p-47F, -0x5d88d9p-77F, 0x1cfc6dp-21F, -0x2d6a93p-48F,
    -0x9d292bp-77F, 0x72317p-19F, -0xe63cafp-50F, -0xf2a617p-75F, 0x382a5p-18F, 0x65b7d5p-49F, -0xc49089p-78F,
    0xdcb777p-24F, 0xf58841p-49F, -0xfae971p-76F, 0x6c4741p-23F, 0xb15263p-52F, 0x8eeab1p-79F, 0x6a17b5p-23F,
    0xdcf80bp-51F, 0x8cdf03p-76F, 0xcf9b47p-24F, 0x1b225fp-46F, 0x9717p-66F, 0xcad33fp-24F, 0x32c7f3p-55F,
    -0x5f7ed1p-82F, 0xc5d883p-24F, -0x5a237p-45F, 0x618f81p-77F, 0x605629p-23F, -0x737495p-48F, -0x63bd17p-74F,
    0x5da7fbp-23F, 0x32a909p-48F, -0x8c13ebp-76F, 0x16b899p-21F, -0x2b0825p-48F, -0x2dd4a7p-73F, 0xb00c29p-24F,
    0x37ab1fp-48F, -0x15c9adp-74F,
  };
};
template <>
struct Cosines<double> {
  static constexpr double limbs[] = {
    0x1p0, 0.0, 0.0, 0x1ffc00155527d3p-53, -0x13b54492d89b5bp-107, -0x17208d7cc75a25p-161, 0x1ff0015549f4d3p-53,
    0x1328387b99426fp-107, 0x10adc7c0233743p-163, 0x1fdc06bf7e6b9bp-53, 0x131902b535f8dbp-107, 0x1651bf87027b1dp-161,
    0x1fc015527d5bd3p-53, 0x36d1e6a129df7p-104, -0x1ce63536c8a8cfp-161, 0x3f386814f9885p-50, 0xe2db5831dba31p-106,
    0xb7e153b8e3543p-161, 0x7dc1af7e7b387p-51, -0x5a632030db72dp-105, -0x115ec15ca77981p-164, 0xf9e63e1d9e8b7p-52,
    -0x4868eb4a28d25p-107, -0x931f701402e81p-163, 0x1f01549f7deea1p-53, 0x1d3c1e99e5cafdp-107,
    -0x160eb7d7b24831p-161, 0x3d7c429eeddf5p-50, -0x817cf895d2a1fp-106, 0x9e0ca0340738fp-162, 0x79ccfa8064f5p-47,
    -0x16428b3546ce13p-107, 0x1710ee2057d6adp-161, 0x1e20bf49acd6c1p-53, -0x1660aec7ef636bp-110,
    -0x1fbbcaebd53753p-164, 0xee35bf5ccac89p-52, 0x14b364776dcd35p-110, -0x16e076747127d9p-166, 0x7594fc1cf901p-47,
    -0x176236434bec37p-107, -0x12b0e1d46f5b9fp-161, 0x1cfc6cfa52ad9fp-53, 0x18b5b5508f2a0dp-107,
    -0x197fd4051f66adp-163, 0x72316fe3386a1p-51, 0x1ab3d1a1590123p-108, -0x1c3ae57eae3fbbp-162, 0x1c1528065b7d5p-49,
    -0x3124222625d05p-104, -0xa4cf55353298bp-161, 0xdcb7777ac4207p-52, 0xa2d1e63c7d6fp-105, 0x674e49cf656d3p-163,
    0xd88e820b15263p-52, 0x8eeab0f7de061p-107, -0x1596b228536427p-162, 0x1a85ed4373e02dp-53, 0xcdf031c2f63c9p-108,
    -0x9b3ec9e41cb2dp-162, 0x19f368ed912f85p-53, -0x8e90062bc8b03p-106, -0xf71508433e13p-156, 0x195a67e00cb1fdp-53,
    -0x10befda21f862dp-107, 0xd41cd4ee7f0f3p-161, 0x18bb105a5dc9p-45, 0x1863e03e9474c1p-107, -0x1cb7fb07d12b3p-160,
    0x18158a31916d5dp-53, -0xef45c85c1146fp-108, -0xd3a9450d1d04bp-162, 0x1769fec655211fp-53, -0x1827d5cf8c68c5p-109,
    0x193b4e0bfb8f21p-164, 0x16b898fa9efb5dp-53, 0x8ad63c3667a59p-107, -0x2db3960c6248dp-159, 0x16018526f563dfp-53,
    0x146ca5e0e432dp-103, -0x1a2e689df00debp-162,
  };
};

/// (sin(t) - t)/t^3, by t^2.
template <class T>
struct SineTail;
// Error at most 1.3e-5 u^2.
template <>
struct SineTail<float> {
  static constexpr int count = 3;
  static constexpr int first = 2;
  static constexpr float coefficients[] = {
    -0xaaaaabp-26F, 0xaaaaabp-51F, 0x888889p-30F, -0xeeeeefp-55F, -0xd00d01p-36F,
  };
};
// Error at most 0.00025 u^2.
template <>
struct SineTail<double> {
  static constexpr int count = 6;
  static constexpr int first = 3;
  static constexpr double coefficients[] = {
    -0x15555555555555p-55, -0x15555555555555p-109, 0x11111111111111p-59, 0x11111111111111p-115, -0xd00d00d00d00dp-64,
    -0xd00d00d00d00dp-124, 0x5c778e955b1cdp-69, -0x6b99159fd5139p-76, 0x16124613a86d09p-85,
  };
};

/// (cos(t) - 1)/t^2, by t^2.
template <class T>
struct CosineTail;
// Error at most 0.0017 u^2.
template <>
struct CosineTail<float> {
  static constexpr int count = 3;
  static constexpr int first = 2;
  static constexpr float coefficients[] = {
    -0x1p-1F, 0.0F, 0xaaaaabp-28F, -0xaaaaabp-53F, -0xb60b61p-33F,
  };
};
// Error at most 0.0031 u^2.
template <>
struct CosineTail<double> {
  static constexpr int count = 6;
  static constexpr int first = 4;
  static constexpr double coefficients[] = {
    -0x1p-1, 0.0, 0x15555555555555p-57, 0x15555555555555p-111, -0x16c16c16c16c17p-62, 0x1f49f49f49f49fp-117,
    0xd00d00d00d00dp-67, 0xd00d00d00d00dp-127, -0x49f93edde27d7p-72, 0x23ddb1dff1b13p-78,
  };
};

/// atan(j/32), in three limbs each.
template <class T>
struct ArcTangents;
template <>
struct ArcTangents<float> {
  static constexpr float limbs[] = {
    0.0F, 0.0F, 0.0F, 0x7ff557p-28F, -0x8ad13bp-55F, -0xd5ec43p-80F, 0x7fd56fp-27F, -0x8d3021p-53F, -0xc724d3p-78F,
    0xbf70c1p-27F, 0x602f11p-52F, -0xb9f6cbp-79F, 0xfeadd5p-27F, -0x553d09p-52F, -0x8e69bbp-78F, 0x9eb777p-26F,
    0x8c6627p-51F, -0xe9e5c5p-77F, 0x5ee5edp-25F, 0xbce5bp-47F, 0x11347bp-74F, 0xdc86bbp-26F, -0x6b6cfbp-50F,
    0x8117b1p-77F, 0xfadbbp-22F, -0x369bf9p-50F, -0x53aa49p-76F, 0x8c5fadp-25F, 0x617e2fp-51F, 0x261949p-78F,
    0x4d89ddp-24F, -0x8f8143p-50F, -0x8658e9p-75F, 0xa9856dp-25F, -0xd5c657p-51F, 0xeda99bp-77F, 0x5bd865p-24F,
    0x1e4defp-50F, 0x239c55p-76F, 0x62c935p-24F, -0xd6bc9bp-51F, -0x2924bdp-74F, 0x6993bbp-24F, 0xf308ffp-52F,
    0xb6c85p-74F, 0x7036d3p-24F, 0x94ec9fp-50F, -0x39839dp-77F, 0x1dac67p-22F, 0x561bb5p-50F, -0x975203p-78F,
    0x1f40ddp-22F, 0xb54141p-50F, 0xf9719bp-75F, 0x832bf5p-24F, -0xb24cf3p-49F, -0xeada4bp-79F, 0x892aedp-24F,
    -0x8085abp-50F, 0xf6a129p-77F, 0x8f005dp-24F, 0xbdefebp-49F, 0x3f36b9p-73F, 0x94ac73p-24F, -0x6cf71dp-49F,
    0xdec319p-77F, 0x9a2f81p-24F, -0xcc7211p-51F, -0xbbf7bbp-77F, 0x4fc4ffp-23F, -0xec2d21p-50F, -0x784c1dp-74F,
    0xa4bc7dp-24F, 0x1934f7p-48F, 0x92419bp-76F, 0x2a71ebp-22F, -0x23b7cfp-48F, -0xa376e9p-76F, 0x2bab13p-22F,
    0xe2d363p-50F, 0x400a39p-79F, 0x59b599p-23F, -0xdb83efp-50F, -0x96ea7p-72F, 0x5c029fp-23F, 0x578463p-49F,
    0xf39e59p-75F, 0x5e3dafp-23F, -0x151675p-48F, -0xd7f2bfp-76F, 0x606743p-23F, -0x8ea75bp-49F, -0xcdfbb1p-75F,
    0xc4ffbp-20F, -0x1501c1p-50F, -0xaadcd3p-78F, 0xc90fdbp-24F, -0x5dde97p-48F, -0xf72cedp-74F,
  };
};
template <>
struct ArcTangents<double> {
  static constexpr double limbs[] = {
    0.0, 0.0, 0.0, 0x1ffd55bba97625p-58, -0x57b10c511244bp-110, 0xc6213806d0295p-165, 0xffaaddb967ef5p-56,
    -0x1c934d86d23f1dp-112, -0xf9576731f6985p-167, 0x17ee182602f10fp-56, -0x39f6ca98187b3p-107,
    -0xf931303eaf70dp-164, 0xfeadd4d5617b7p-55, -0x1cd37686760c17p-111, -0x1dc421d31aa09bp-165, 0x4f5bbba31989bp-53,
    0x161a3b0ce9281bp-109, 0x1fd0aeea5e9f17p-167, 0xbdcbda5e72d81p-54, 0x9a3d85a7c40e5p-109, -0x716f0d8a5fe53p-163,
    0xdc86ba9493051p-54, 0x117b10d2e0e5abp-113, -0x1a1faf375dae59p-167, 0x1f5b75f92c80ddp-55, 0x18ab6e3cf7afbdp-109,
    0x42fcb54ff5207p-163, 0x2317eb4617e2fp-51, 0x130ca4748b1bf9p-109, -0x1f59cbc0b47591p-163, 0x4d89dcdc1faf3p-52,
    -0x32c74a896ce5bp-106, -0x50cd7f75b707bp-161, 0xa9856cca8e6a5p-53, -0x92b3240442041p-108, -0x6173eded3c62dp-161,
    0x16f61941e4def1p-54, -0x38c755cdedd23p-105, -0x1bb7cc27bc6885p-165, 0x18b24d394a1b25p-54, 0x36da1746e91f5p-105,
    0xa28ddc4b7c9e5p-161, 0x1a64eec3cc23fdp-54, -0x124dec1b50b7ffp-108, -0xc764c8ffdf917p-164, 0x1c0db4c94ec9fp-50,
    -0x730739c24d30dp-106, 0x1970076c297e5fp-162, 0x1dac670561bb4fp-54, 0xd15bf9117b2f1p-107, -0x15cbf247afa9e3p-163,
    0x3e81ba16a8283p-51, -0x1a3992dc382a23p-109, -0xe267bdfe6da41p-162, 0x10657e94db30dp-49, -0xeada4afb1a4f3p-107,
    0xa2b81e22ab9b1p-161, 0x11255d9bfbd2a9p-53, -0x12bdaee1c0ee35p-110, -0x16a08e08308c09p-165, 0x47802eaf7bfadp-51,
    -0x1928df287a668fp-110, 0x1ba3c8c533f033p-167, 0x12958e59308e31p-53, -0x109e73b0c6c087p-108,
    -0xb9a0e18ea3e17p-161, 0x1345f01cce37bbp-53, 0x881089be38881p-106, 0x7f9de6d723783p-159, 0x4fc4fee27a5bdp-51,
    0x1ecf8b492644fp-104, 0x1c077e75d0f46fp-162, 0x14978fa3269ee1p-53, 0x2483350fe548bp-105, -0x129b08e07bcbb1p-163,
    0x1538f57b89061fp-53, -0x46edd2af69483p-105, -0x36605033474d5p-159, 0x2bab130e2d363p-50, 0x8014725e2f3e5p-108,
    0x81c280dd0ad19p-162, 0x166d663923e087p-53, -0xb7537f5f45dddp-107, 0x5f273c8d3fe5p-157, 0x5c029f15e118dp-51,
    -0xc61a692d56f7bp-107, 0x4443d3d7aecc1p-160, 0xbc7b5deae98afp-52, 0x501a822600ddp-101, 0x1f652027f5703fp-161,
    0x1819d0b7158a4dp-53, -0x1bf76229d3b917p-108, 0x17d126ac77433dp-163, 0x313febfeafe3fp-50, -0x155b9a5e177a1bp-107,
    -0xfeef592cef25p-159, 0x3243f6a8885a3p-50, 0x11a62633145c07p-107, -0x7c65dadfb63efp-161,
  };
};

/// (atan(t) - t)/t^3, by t^2.
template <class T>
struct ArcTangentTail;
// Error at most 0.00014 u^2.
template <>
struct ArcTangentTail<float> {
  static constexpr int count = 4;
  static constexpr int first = 2;
  static constexpr float coefficients[] = {
    -0xaaaaabp-25F, 0xaaaaabp-50F, 0xcccccdp-26F, -0xcccccdp-52F, -0x924925p-26F, 0xe38e39p-27F,
  };
};
// Error at most 0.0016 u^2.
template <>
struct ArcTangentTail<double> {
  static constexpr int count = 9;
  static constexpr int first = 4;
  static constexpr double coefficients[] = {
    -0x15555555555555p-54, -0x15555555555555p-108, 0xccccccccccccdp-54, -0xccccccccccccdp-108, -0x9249249249249p-54,
    -0x9249249249249p-108, 0x71c71c71c71c7p-54, 0x71c71c71c71c7p-108, -0xba2e8ba2e8ba3p-55, 0x4ec4ec4ec4ec5p-54,
    -0x11111111111111p-56, 0xf0f0f0f0f0f0fp-56, -0x35e50d79435e5p-54,
  };
};

/// pi, pi/2, pi/4, 3 pi/4, in three limbs each.
template <class T>
struct Angles;
template <>
struct Angles<float> {
  static constexpr float limbs[] = {
    0xc90fdbp-22F, -0x5dde97p-46F, -0xf72cedp-72F, 0xc90fdbp-23F, -0x5dde97p-47F, -0xf72cedp-73F, 0xc90fdbp-24F,
    -0x5dde97p-48F, -0xf72cedp-74F, 0x25b2f9p-20F, -0x666f17p-50F, 0x69e4e5p-76F,
  };
};
template <>
struct Angles<double> {
  static constexpr double limbs[] = {
    0x3243f6a8885a3p-48, 0x11a62633145c07p-105, -0x7c65dadfb63efp-159, 0x3243f6a8885a3p-49, 0x11a62633145c07p-106,
    -0x7c65dadfb63efp-160, 0x3243f6a8885a3p-50, 0x11a62633145c07p-107, -0x7c65dadfb63efp-161, 0x96cbe3f9990e9p-50,
    0xd3c9ca64f4505p-105, 0xa2b39bd83750dp-159,
  };
};

/// pi/2 in four limbs.
template <class T>
struct QuarterTurn;
template <>
struct QuarterTurn<float> {
  static constexpr float limbs[] = {
    0xc90fdbp-23F, -0x5dde97p-47F, -0xf72cedp-73F, 0xcc517p-96F,
  };
};
template <>
struct QuarterTurn<double> {
  static constexpr double limbs[] = {
    0x3243f6a8885a3p-49, 0x11a62633145c07p-106, -0x7c65dadfb63efp-160, 0x14cf98e804177dp-216,
  };
};

/// The bits of 2/pi after the point, 32 a word, the first ones first.
inline constexpr U32 kTwoOverPi[] = {
    0xa2f9836eU, 0x4e441529U, 0xfc2757d1U, 0xf534ddc0U, 0xdb629599U, 0x3c439041U, 0xfe5163abU, 0xdebbc561U,
    0xb7246e3aU, 0x424dd2e0U, 0x06492eeaU, 0x09d1921cU, 0xfe1deb1cU, 0xb129a73eU, 0xe88235f5U, 0x2ebb4484U,
    0xe99c7026U, 0xb45f7e41U, 0x3991d639U, 0x835339f4U, 0x9c845f8bU, 0xbdf9283bU, 0x1ff897ffU, 0xde05980fU,
    0xef2f118bU, 0x5a0a6d1fU, 0x6d367ecfU, 0x27cb09b7U, 0x4f463f66U, 0x9e5fea2dU, 0x7527bac7U, 0xebe5f17bU,
    0x3d0739f7U, 0x8a5292eaU, 0x6bfb5fb1U, 0x1f8d5d08U, 0x56033046U, 0xfc7b6babU, 0xf0cfbc20U, 0x9af4361dU,
    0xa9e39161U, 0x5ee61b08U, 0x6599855fU, 0x14a06840U, 0x8dffd880U, 0x4d732731U, 0x06061556U, 0xca73a8c9U,
    0x60e27bc0U, 0x8c6b47c4U, 0x19c367cdU, 0xdce8092aU, 0x8359c476U, 0x8b961ca6U, 0xddaf44d1U, 0x5719053eU,
    0xa5ff0705U, 0x3f7e33e8U, 0x32c2de4fU, 0x98327dbbU, 0xc33d26efU, 0x6b1e5ef8U, 0x9f3a1f35U, 0xcaf27f1dU,
    0x87f12190U,
};

}  // namespace CAIRN_PAIR_BUILD
}  // namespace cairn::semantics::pair
